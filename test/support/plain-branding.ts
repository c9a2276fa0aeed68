/** What commands print about the branding of an account that has none. */
export const plainBranding = {
  colour: null,
  logo: null,
  logo_media_type: null,
  logo_bytes: null,
  support_email: null,
  support_phone: null,
  support_url: null,
  frame_origins: [],
  upi_collect: false,
} as const;
