import type { Field } from '../contract/contact.ts';
import { FUNCTION_NAME, FUNCTIONS_PATH, HONEYPOT_FIELD, LIMITS } from '../contract/contact.ts';
import { escapeHtml } from '../mail/escape-html.ts';

export type Typed = Partial<Record<Field, string>>;

/**
 * Puts what a visitor typed, and what is wrong with it, into the built page: `%%error%%`, `%%name%%`,
 * `%%email%%` and `%%message%%`. In one pass, so that a visitor who types `%%email%%` reads just that.
 */
export function fillNotSentPage(template: string, typed: Typed, error: string): string {
  const texts: Record<string, string | undefined> = { ...typed, error };
  return template.replace(/(>?)%%(error|name|email|message)%%/g, (_, before: string, key: string) => {
    // A browser drops a newline that follows <textarea>; this one is there to be dropped, not the visitor's.
    const shield = before && key === 'message' ? '\n' : '';
    return before + shield + escapeHtml(texts[key] ?? '');
  });
}

/**
 * For a server without a built page, as in development.
 *
 * @param home the page's address, @param basePath what stands before the function's own path
 */
export const plainNotSentPage = (home: string, basePath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Your message was not sent</title>
</head>
<body>
<main>
<h1>Your message was not sent</h1>
<p role="alert">%%error%%</p>
<form method="post" action="${basePath}${FUNCTIONS_PATH}/${FUNCTION_NAME}">
<p><label for="name">Name</label><br><input id="name" name="name" autocomplete="name" required maxlength="${LIMITS.name.max}" value="%%name%%"></p>
<p><label for="email">E-mail</label><br><input id="email" name="email" type="email" autocomplete="email" required value="%%email%%"></p>
<p><label for="message">Message</label><br><textarea id="message" name="message" rows="8" cols="40" required>%%message%%</textarea></p>
<p hidden><label>Leave this empty <input name="${HONEYPOT_FIELD}" autocomplete="off" tabindex="-1"></label></p>
<p><button>Send again</button> <a href="${escapeHtml(home)}">Back to the page</a></p>
</form>
</main>
</body>
</html>
`;
