/**
 * The mark: a block seen like everything else here, and a line that no longer stops at the one orange spot
 * but bends round it. Its colours are its own, so that it stands on light and on dark browser tabs.
 */
export function Mark({ xmlns }: { xmlns?: string }) {
  return (
    <svg
      xmlns={xmlns}
      width={32}
      height={32}
      viewBox="0 0 32 32"
      fill="none"
      strokeLinejoin="round"
      strokeLinecap="round"
      aria-hidden={true}
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
