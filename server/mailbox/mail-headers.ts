/** The value of a header field that may come several times. Folded lines are one. */
export function field(headers: string, name: string): string {
  const unfolded = headers.replace(/\r?\n(?=[ \t])/g, '');
  const lines = unfolded.matchAll(new RegExp(`^${name}[ \\t]*:(.*)$`, 'gim'));
  return [...lines].map(([, value = '']) => value.trim()).join(' ');
}

/**
 * Every Message-ID in a header's value, without brackets. Some programs fold a line within the brackets, double them,
 * leave them away, or put quotation marks around what's before the @.
 */
export function messageIds(value: string): string[] {
  const bracketed: string[] = [];
  const rest = value.replace(/<([^<>]*)>/g, (_, id: string) => {
    bracketed.push(id.replace(/\s+/g, ''));
    return ' ';
  });
  return [...bracketed, ...rest.split(/[\s,;<>]+/)].map((id) => id.replaceAll('"', '')).filter(Boolean);
}
