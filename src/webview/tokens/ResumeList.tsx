import type { JSX } from 'preact';
import type { TokensResume } from '../../protocol/channels/tokensView';
import { isNearlyFull } from '../../protocol/usage';
import { moveFocus } from '../ui/Menu';
import { TableBehind } from './chart/TableBehind';
import { Cost, Tokens } from './figures';
import { useApp } from './tokensApp';

/** The sessions that are most expensive to continue; each opens its conversation. */
export function ResumeList({ resumes }: { resumes: readonly TokensResume[] | null }): JSX.Element {
  const { t } = useApp();
  const title = t('Cost of resuming');
  return (
    <div class="chart">
      <h2>{title}</h2>
      <p class="quiet">
        {t('Sessions of the last 30 days: what the next request costs, about, when nothing is in the cache any more.')}
      </p>
      {resumes === null && <p class="quiet">{t('Counting…')}</p>}
      {resumes?.length === 0 && <p class="quiet">{t('No session of the last 30 days has a context.')}</p>}
      {resumes !== null && resumes.length > 0 && (
        <>
          <ResumeRows title={title} resumes={resumes} />
          <TableBehind
            chart="resume"
            title={title}
            table={{
              columns: [t('Session'), t('Context'), t('Context window'), t('Cost')],
              rows: resumes.map((resume) => ({
                key: resume.filePath,
                label: nameOf(resume),
                cells: [
                  <Tokens count={resume.context.tokens} />,
                  resume.context.window === null ? '?' : <Tokens count={resume.context.window} />,
                  <Cost cost={resume.resumeCost} />,
                ],
              })),
            }}
          />
        </>
      )}
    </div>
  );
}

/** A list with one stop of the Tab key; the arrow keys go from session to session. */
function ResumeRows({ title, resumes }: { title: string; resumes: readonly TokensResume[] }): JSX.Element {
  const { openSession, t } = useApp();
  return (
    <ul
      class="resumes"
      aria-label={title}
      onKeyDown={(event) => {
        if (moveFocus(event, event.currentTarget, 'button', 'vertical')) event.preventDefault();
      }}
      onFocusIn={(event) => {
        // The Tab key comes back to where it left the list.
        for (const button of event.currentTarget.querySelectorAll('button'))
          button.tabIndex = button === event.target ? 0 : -1;
      }}
    >
      {resumes.map((resume, at) => (
        <li key={resume.filePath}>
          <button
            type="button"
            class="resume"
            tabIndex={at === 0 ? 0 : -1}
            title={nameOf(resume)}
            onClick={() => {
              openSession(resume.filePath);
            }}
          >
            <span class="resume-line">
              {resume.isRunning && <span class="live-dot" role="img" aria-label={t('running')} />}
              <span class="line">{nameOf(resume)}</span>
              <span>
                <Cost cost={resume.resumeCost} />
              </span>
            </span>
            <ContextBar resume={resume} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function ContextBar({ resume: { context } }: { resume: TokensResume }): JSX.Element {
  const { figures, t } = useApp();
  const { tokens, window } = context;
  const isKnown = window !== null && window > 0;
  const share = isKnown ? Math.min(1, tokens / window) : 0;
  return (
    <span class="resume-line">
      <svg class="bar" aria-hidden="true">
        <rect class="bar-track" width="100%" height="100%" />
        <rect class={isNearlyFull(context) ? 'meter-full' : 'series-0'} width={`${share * 100}%`} height="100%" />
      </svg>
      <span class="resume-context">
        {isKnown
          ? t('{0} of {1} ({2})', figures.compact(tokens), figures.compact(window), figures.percent(tokens / window))
          : t('{0} tokens', figures.compact(tokens))}
      </span>
    </span>
  );
}

/** The title, or the transcript if the title is blank. */
function nameOf({ title, filePath }: TokensResume): string {
  return title.trim() === '' ? filePath : title;
}
