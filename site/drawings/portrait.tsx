import { Sheet } from './parts/sheet.tsx';

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
        {/* A plan on the wall, with the line that bends */}
        <path className="d-p" d="M228 46h140v104H228z" />
        <path d="M246 70h34v24h-34zM316 70h34v24h-34zM316 112h34v24h-34zM280 82h36" />
        <path d="M280 82h16v42h20" strokeDasharray="7 6" />
        {/* Body */}
        <path className="d-t" d="M82 420q-4-120 34-146 22-14 58-20 26 22 56 0 36 6 58 20 38 26 34 146z" />
        <path className="d-r" d="M232 254q34 6 56 20 38 26 34 146h-66q6-90-26-160z" />
        <path className="d-p" d="M174 254l28 34 30-34 8 10-38 46-38-46z" />
        <path d="M202 310v110" />
        {/* Head */}
        <path className="d-t" d="M182 222v34q20 22 42 0v-34z" />
        <path className="d-t" d="M148 150q0-58 54-58t54 58v20q-4 66-54 68-50-2-54-68z" />
        <path
          className="d-k"
          d="M144 172q-14-92 58-98 72 4 58 98-6-4-7-22-12-6-18-26-34 20-78 18-6 10-6 30z"
        />
        <path d="M180 168v6M224 168v6M202 172l-5 18h9M186 206q16 10 32 0" />
        <circle cx="180" cy="171" r="15" />
        <circle cx="224" cy="171" r="15" />
        <path d="M195 169q7-4 14 0" />
        {/* The table and what lies on it */}
        <path className="d-t" d="M-10 404h420v40H-10z" />
        <path className="d-r" d="M-10 444h420v70H-10z" />
        <path className="d-p" d="M92 384h226l26 54H62z" />
        <path d="M124 396h46l-5 14h-46zM240 396h46l4 14h-46zM180 424h48" />
        <path d="M170 403h70" strokeDasharray="8 6" />
      </g>
    </Sheet>
  );
}
