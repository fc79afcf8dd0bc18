import { type Corner, leftFace, pathData, polygon, polyline, rightFace } from '../projection.ts';

/** A house where something is installed: 6 along x, 7 along y, its gable to the lower left and panels on the near slope. */
export function House({ from: [x, y] }: { from: readonly [number, number] }) {
  const [w, d, eave, ridge] = [6, 7, 5.4, 8.4];
  /** On the near slope: along the eave, and up from it, where 1 is the ridge. */
  const slope = (along: number, up: number): Corner => [
    x + w - (up * w) / 2,
    y + along,
    eave + up * (ridge - eave),
  ];
  const panels = [4.6, 2.6, 0.6].flatMap((along) =>
    [0.12, 0.5].map((up) =>
      polygon(
        slope(along, up),
        slope(along + 1.8, up),
        slope(along + 1.8, up + 0.34),
        slope(along, up + 0.34),
      ),
    ),
  );
  return (
    <>
      <path
        className="d-l"
        d={pathData([
          polygon(
            [x, y + d, 0],
            [x + w, y + d, 0],
            [x + w, y + d, eave],
            [x + w / 2, y + d, ridge],
            [x, y + d, eave],
          ),
        ])}
      />
      <path className="d-r" d={pathData([rightFace([x + w, y, 0], d, eave)])} />
      <path
        className="d-t"
        d={pathData([polygon(slope(-0.4, -0.1), slope(d + 0.4, -0.1), slope(d + 0.4, 1), slope(-0.4, 1))])}
      />
      <path className="d-k" d={pathData(panels.slice(0, 5))} />
      <path className="d-h" d={pathData(panels.slice(5))} />
      <path
        className="d-p"
        d={pathData([
          leftFace([x + 3.4, y + d, 0], 1.6, 3.6),
          leftFace([x + 1, y + d, 2], 1.4, 1.6),
          rightFace([x + w, y + 0.9, 1.8], 1.6, 1.8),
        ])}
      />
    </>
  );
}

/** A ladder between two corners of the plan, whose rungs lie `along` an axis. */
export function Ladder({ foot, top, along = 'y' }: { foot: Corner; top: Corner; along?: 'x' | 'y' }) {
  const width = 1.1;
  const on = (share: number, aside: number): Corner => [
    foot[0] + (top[0] - foot[0]) * share + (along === 'x' ? aside : 0),
    foot[1] + (top[1] - foot[1]) * share + (along === 'y' ? aside : 0),
    foot[2] + (top[2] - foot[2]) * share,
  ];
  const rungs = Array.from({ length: 8 }, (_, i) => (i + 0.7) / 8);
  return (
    <path
      d={pathData([
        ...[0, width].map((aside) => polyline(on(0, aside), on(1, aside))),
        ...rungs.map((share) => polyline(on(share, 0), on(share, width))),
      ])}
    />
  );
}
