/** The shape of the settings, as the API answers them. */

/**
 * @typedef {object} SecretTimes
 * @property {string} name
 * @property {string} title
 * @property {string | null} created_at
 * @property {{ created_at: string, valid_until: string }[]} former Still valid.
 */

/**
 * @typedef {object} ProviderOption
 * @property {string} name
 * @property {string} description
 * @property {string} placeholder
 * @property {'plain' | 'login' | 'url' | 'secret'} kind
 * @property {string | null} value Null for a secret.
 * @property {string | null} set_at Of a secret.
 */

/**
 * @typedef {object} Provider
 * @property {string} name
 * @property {string} title
 * @property {string} webhook_url
 * @property {string} webhook_secret The name of the secret.
 * @property {ProviderOption[]} options
 */

/** @typedef {{ from: string, to: string, rate: string, confirmed_rate?: string }} Rate */

/**
 * @typedef {object} Settings
 * @property {string} account_id
 * @property {string} access_key
 * @property {string} name
 * @property {boolean} optional_order_details
 * @property {boolean} encrypted_payloads
 * @property {string} signature_version
 * @property {number | null} requests_per_second
 * @property {SecretTimes[]} secrets
 * @property {Provider[]} providers
 * @property {{ mode: string, title: string, provider: string | null }[]} payment_modes
 * @property {Rate[]} alternate_currencies
 * @property {Rate[]} former_rates The last rate of each currency before the latest change, also of removed ones.
 * @property {string[]} callback_origins
 * @property {string[]} frame_origins
 * @property {string | null} colour
 * @property {{ url: string, bytes: number } | null} logo
 * @property {string | null} support_email
 * @property {string | null} support_phone
 * @property {string | null} support_url
 * @property {boolean} upi_collect
 */

export {};
