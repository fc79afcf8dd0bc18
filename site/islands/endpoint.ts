import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact.ts';

const PROJECT_URL = import.meta.env.VITE_SUPABASE_URL ?? '';

/** Where functions live: a path on this host, or an address in the configured project. */
export const FUNCTIONS_URL = `${PROJECT_URL}${FUNCTIONS_PATH}`;

/** The address of the plain form, which has to work before any script does. */
export const FORM_ACTION = `${FUNCTIONS_URL}/${FUNCTION_NAME}`;

export const ANON_KEY = import.meta.env.VITE_SUPABASE_ANON_KEY || DEFAULT_ANON_KEY;
