/** The name of a provider's folder and of its webhook path; the registry of providers knows those that exist. */
export type ProviderName = string;
