/** The oldest browsers that show the page as designed: the last ones for Windows 7, and for an iPhone 7. */
export const DESIGNED = { chrome: '109', firefox: '115', safari: '15.6', ios: '15.6' };

/** The oldest in which it can be read, and its form works. */
export const READABLE = { ...DESIGNED, chrome: '80' };

/** What everything is compiled for, in Vite's words. */
export const TARGET = Object.entries(READABLE).map(([name, version]) => name + version);
