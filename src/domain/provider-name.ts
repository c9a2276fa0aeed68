/** The name of a provider's folder and of its webhook path, such as `partner`. */
export type ProviderName = string;
