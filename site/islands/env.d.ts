/** Set by the build, without a trailing slash. An address without a host is a path on the page's own origin. */
interface ImportMetaEnv {
  readonly VITE_SUPABASE_URL?: string;
  readonly VITE_SUPABASE_ANON_KEY?: string;
}
