/** The name of a provider, of its folder and of its webhook path. The registry of providers lists all names. */
export type ProviderName = string;
