/**
 * The logo: a block in the drawings' projection, and a line that bends around the one orange spot. It has its own
 * colours, so it works on light and dark browser tabs.
 */
export function Mark({ xmlns, id }: { xmlns?: string; id?: string }) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: with an id, it's only drawn by a `use` elsewhere, and hidden.
    <svg
      xmlns={xmlns}
      id={id}
      width={32}
      height={32}
      viewBox="0 0 32 32"
      fill="none"
      strokeLinejoin="round"
      strokeLinecap="round"
      aria-hidden={id ? undefined : true}
    >
      <path fill="#1d4fae" stroke="#1d4fae" strokeWidth="3" d="M16 2 28 9v14l-12 7-12-7V9z" />
      <path
        stroke="#fff"
        strokeWidth="3.5"
        strokeLinecap="butt"
        d="M3.4 20.8 9 17.5V11l7-4 7 4v6.5l5.6 3.3"
      />
      <path fill="#ff7a2b" d="M16 14l4.5 2.6v5.2L16 24.4l-4.5-2.6v-5.2z" />
    </svg>
  );
}
