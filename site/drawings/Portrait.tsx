import { Sheet } from './parts/sheet.tsx';

const SLEEVES = 'M112 318q-26 62-12 82 12 18 76 24M296 318q26 62 12 82-12 18-64 20';

/** A drawn founder at the drafting table, for as long as there is no photograph. */
export function Portrait({ label }: { label?: string }) {
  return (
    <Sheet label={label} view={[0, 0, 400, 500]}>
      <g strokeWidth="2.5">
        <path className="d-l" stroke="none" d="M0 0h400v500H0z" />
        <path
          className="d-g"
          d="M0 40h400M0 80h400M0 120h400M0 160h400M0 200h400M0 240h400M0 280h400M0 320h400M0 360h400M40 0v500M80 0v500M120 0v500M160 0v500M200 0v500M240 0v500M280 0v500M320 0v500M360 0v500"
        />
        {/* On the wall: the plan with the line that bends */}
        <path className="d-p" d="M250 44h124v104H250z" />
        <path d="M264 62h30v22h-30zM330 62h30v22h-30zM330 108h30v22h-30zM294 73h36" />
        <path className="d-n" d="M294 73h14v46h20" />
        {/* Rolled plans in a bin */}
        <path className="d-p" d="M20 250l14 150h26L42 246zM58 222l2 178h26l-4-180z" />
        <ellipse className="d-r" cx="31" cy="248" rx="11" ry="6" />
        <ellipse className="d-r" cx="70" cy="221" rx="12" ry="6" />
        <path className="d-r" d="M14 330h88l-8 90H22z" />
        {/* Jacket */}
        <path className="d-t" d="M92 420q-8-112 36-138 20-12 50-18 26 16 52 0 30 6 50 18 44 26 36 138z" />
        <path className="d-r" d="M230 264q30 6 50 18 44 26 36 138h-60q4-96-26-156z" />
        <path className="d-p" d="M178 264l26 32 26-32 10 8-36 52-36-52z" />
        <path d="M204 324v90M226 352h32v26h-32" />
        {/* Head */}
        <path className="d-r" d="M184 226v40q20 18 40 0v-40z" />
        <path className="d-t" d="M152 160q0-64 52-64t52 64v18q-6 66-52 68-46-2-52-68z" />
        <path className="d-t" d="M152 172q-12-4-11 9 2 15 15 15M256 172q12-4 11 9-2 15-15 15" />
        <path
          className="d-k"
          d="M150 176q-16-60 8-84 22-20 58-14 46 2 50 52 2 26-8 46-6-4-7-26-4-14-12-22-36 16-72 4-8 8-9 22 0 18-8 22z"
        />
        <path d="M205 170l-6 24h9M188 216q16 9 32 0M170 150q10-6 19-1M219 149q10-5 19 1" />
        <path
          className="d-k"
          stroke="none"
          d="M176 172a4 5 0 1 0 8 0 4 5 0 1 0-8 0M224 172a4 5 0 1 0 8 0 4 5 0 1 0-8 0"
        />
        <path d="M163 172a17 17 0 1 0 34 0 17 17 0 1 0-34 0M211 172a17 17 0 1 0 34 0 17 17 0 1 0-34 0M197 170q7-4 14 0" />
        {/* The table, the plan on it, and the hands at work */}
        <path className="d-t" d="M-10 412h420v40H-10z" />
        <path className="d-r" d="M-10 452h420v60H-10z" />
        <path className="d-p" d="M84 396h240l30 50H52z" />
        <path d="M110 410h40l-6 16h-42zM286 410h24l6 16h-28z" />
        <path className="d-n" d="M152 418h24l-10 18h126" />
        <path className="d-e" strokeWidth="2" d="m212 446 2-18 40-66 12 7-40 66z" />
        <path className="d-t" d="M170 408q28-2 34 16 0 18-34 18zM250 402q-32 0-36 18 2 18 36 18z" />
        <path strokeWidth="43" d={SLEEVES} />
        <path strokeWidth="38" className="d-v" d={SLEEVES} />
      </g>
    </Sheet>
  );
}
