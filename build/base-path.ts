/**
 * Moves the addresses in markup and styles that start at the host's root below `basePath`, such as
 * `/operations`. One step at the end, so that nothing that writes an address has to know of it; the
 * form's own address comes with its path already.
 */
export function below(basePath: string, text: string): string {
  if (!basePath) return text;
  return text
    .replace(/((?:\s(?:href|src)="|\burl\(["']?))\/(?!\/)/g, `$1${basePath}/`)
    .replace(
      /(\s(?:srcset|imagesrcset)=")([^"]*)/gi,
      (_, before: string, list: string) => before + list.replace(/(^|,\s*)\/(?!\/)/g, `$1${basePath}/`),
    );
}
