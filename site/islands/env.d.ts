/** Set by the build. */
interface ImportMetaEnv {
  /** Without a trailing slash. One without a host is a path on the page's own origin. */
  readonly VITE_SUPABASE_URL?: string;
  readonly VITE_SUPABASE_ANON_KEY?: string;
  readonly CONTACT_EMAIL: string;
}
