import type { Finding, Question, Verdict } from '../check/check.ts';
import { ANSWERS, counts, QUESTIONS, worst } from '../check/report.ts';
import { count, printable } from '../terminal.ts';
import { type Frame, page } from './frame.tsx';

const WORST_FIRST: Verdict[] = ['wrong', 'look', 'ok'];

export function doctorPage(frame: Frame, findings: Finding[]): string {
  const { ok, look, wrong } = counts(findings);
  const main = (
    <>
      <div className="head">
        <h1>
          {wrong > 0 ? `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.` : 'Nothing is wrong.'}
        </h1>
        <p className="lead">
          {look} to look at, {ok} well. <a href="/doctor">Look again</a>
        </p>
      </div>
      {(Object.keys(QUESTIONS) as Question[]).map((question) => {
        const asked = findings.filter((finding) => finding.question === question);
        const own = WORST_FIRST.flatMap((verdict) => asked.filter((finding) => finding.verdict === verdict));
        return own.length === 0 ? null : (
          <section key={question}>
            <h2>
              {QUESTIONS[question]} <span>{ANSWERS[question][worst(own)]}</span>
            </h2>
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
