/** Set by the build. */
interface ImportMetaEnv {
  /** Without a trailing slash. */
  readonly VITE_SUPABASE_URL?: string;
  readonly VITE_SUPABASE_ANON_KEY?: string;
  readonly CONTACT_EMAIL: string;
}
