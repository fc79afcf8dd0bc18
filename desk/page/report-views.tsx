import type { Finding, Verdict } from '../check/finding.ts';
import { byCheck, counts, headline } from '../check/report.ts';
import { printable } from '../terminal.ts';
import { type Frame, page } from './frame.tsx';

const WORST_FIRST: Verdict[] = ['wrong', 'look', 'ok'];

export function doctorPage(frame: Frame, findings: Finding[]): string {
  const { ok, look } = counts(findings);
  const main = (
    <>
      <div className="head">
        <h1>{headline(findings)}</h1>
        <p className="lead">
          {look} to look at, {ok} well. <a href="/doctor">Look again</a>
        </p>
      </div>
      {byCheck(findings).map(([title, found]) => {
        const own = WORST_FIRST.flatMap((verdict) => found.filter((finding) => finding.verdict === verdict));
        return (
          <section key={title}>
            <h2>{title}</h2>
            {own.map(({ what, verdict, found, todo }) => (
              <div key={found} className={`finding is-${verdict}`}>
                <span className="verdict">{verdict}</span>
                <b>{what}</b>
                <p>{printable(found)}</p>
                {todo && <p>→ {printable(todo)}</p>}
              </div>
            ))}
          </section>
        );
      })}
    </>
  );
  return page('Doctor', frame, main);
}
