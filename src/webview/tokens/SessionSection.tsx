import type { JSX } from 'preact';
import type { TokensSession } from '../../protocol/channels/tokensView';
import {
  type ContextSize,
  isNearlyFull,
  type SessionUsage,
  type Spending,
  type TokenCounts,
  totalTokens,
} from '../../protocol/usage';
import type { Translate } from '../ui/texts';
import { Cost, modelName, Tokens, Totals } from './figures';
import { useApp } from './tokensApp';

/** The session that the person is viewing. */
export function SessionSection(): JSX.Element {
  const { snapshot, t } = useApp();
  const { session } = snapshot.value;
  return (
    <section class="section" aria-labelledby="session-title">
      <h2 id="session-title" class="visually-hidden">
        {t('This session')}
      </h2>
      {session === null ? (
        <p class="quiet">{t('Open a conversation, or select a session, to see what it used.')}</p>
      ) : (
        <>
          <p class="session-name" title={session.title}>
            {session.isRunning && <span class="live-dot" role="img" aria-label={t('running')} />}
            <span class="session-words">{session.title}</span>
          </p>
          <SessionBody session={session} />
        </>
      )}
    </section>
  );
}

function SessionBody({ session }: { session: TokensSession }): JSX.Element {
  const { t } = useApp();
  const { usage, problem } = session;
  if (usage !== null) return <SessionFigures usage={usage} />;
  return <p class="quiet">{problem ?? t('Counting…')}</p>;
}

function SessionFigures({ usage }: { usage: SessionUsage }): JSX.Element {
  const { t } = useApp();
  const { total, context } = usage;
  if (total.messages === 0) return <p class="quiet">{t('This session has not used any tokens yet.')}</p>;
  return (
    <>
      <Totals spending={total} />
      {context !== null && <ContextMeter context={context} />}
      <SessionFacts usage={usage} />
      <SessionParts usage={usage} />
      <KindList counts={total.counts} />
    </>
  );
}

/** The share of the model's context window that the conversation fills. */
function ContextMeter({ context }: { context: ContextSize }): JSX.Element {
  const { figures, t } = useApp();
  const { tokens, window, model } = context;
  const label = t('Context');
  if (window === null || window <= 0) {
    return (
      <div class="context">
        <div class="context-line">
          <span>{label}</span>
          <span>
            <Tokens count={tokens} />
          </span>
        </div>
        <p class="quiet">
          {model === null ? t('Its model is not known.') : t('How much {0} takes is not known.', model)}
        </p>
      </div>
    );
  }
  const share = tokens / window;
  const isFull = isNearlyFull(context);
  const said = t('{0} of {1} tokens, {2}', figures.exact(tokens), figures.exact(window), figures.percent(share));
  return (
    <div class="context">
      <div class="context-line" title={said}>
        <span>{label}</span>
        <span>{t('{0} of {1} ({2})', figures.compact(tokens), figures.compact(window), figures.percent(share))}</span>
      </div>
      <div
        class="meter"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={window}
        aria-valuenow={Math.min(tokens, window)}
        aria-valuetext={said}
      >
        <svg class="bar" aria-hidden="true">
          <rect class="bar-track" width="100%" height="100%" />
          <rect class={isFull ? 'meter-full' : 'series-0'} width={`${Math.min(1, share) * 100}%`} height="100%" />
        </svg>
      </div>
      {isFull && <p class="quiet">{t('Nearly full: Claude Code compacts the conversation soon.')}</p>}
    </div>
  );
}

/** Tokens by price category. */
function KindList({ counts }: { counts: TokenCounts }): JSX.Element {
  const { t } = useApp();
  const kinds: readonly (readonly [label: string, count: number, isAlwaysShown: boolean])[] = [
    [t('Input'), counts.input, true],
    [t('Output'), counts.output, true],
    [t('Cache reads'), counts.cacheRead, true],
    [t('Cache writes (5 min)'), counts.cacheWrite5m, true],
    [t('Cache writes (1 h)'), counts.cacheWrite1h, false],
    [t('Web searches'), counts.webSearches, false],
    [t('Web fetches'), counts.webFetches, false],
  ];
  return (
    <>
      <h3>{t('Tokens by kind')}</h3>
      <dl class="facts">
        {kinds
          .filter(([, count, isAlwaysShown]) => isAlwaysShown || count > 0)
          .map(([label, count]) => (
            <div key={label} class="fact">
              <dt title={label}>{label}</dt>
              <dd>
                <Tokens count={count} />
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}

/** The most important facts about a session, before the details. */
function SessionFacts({ usage }: { usage: SessionUsage }): JSX.Element {
  const { t } = useApp();
  const { resumeCost, models } = usage;
  const [model, ...others] = models;
  const hint = t('What the next request costs when nothing of the context is in the cache any more. An estimate.');
  return (
    <dl class="facts">
      {resumeCost !== null && (
        <div class="fact">
          <dt title={hint}>
            {t('Resuming uncached, about')}
            <span class="visually-hidden">{` (${hint})`}</span>
          </dt>
          <dd>
            <Cost cost={resumeCost} />
          </dd>
        </div>
      )}
      {model !== undefined && others.length === 0 && (
        <div class="fact">
          <dt>{t('Model')}</dt>
          <dd class="line" title={modelName(model.model, t)}>
            {modelName(model.model, t)}
          </dd>
        </div>
      )}
    </dl>
  );
}

interface Part {
  readonly label: string;
  readonly hint?: string;
  readonly spending: Pick<Spending, 'counts' | 'cost'>;
}

/** The parts of a session's tokens and their comparisons, each only if it has content. */
function SessionParts({ usage }: { usage: SessionUsage }): JSX.Element | null {
  const { t } = useApp();
  const parts = partsOf(usage, t);
  if (parts.length === 0) return null;
  return (
    <table class="table is-parts">
      <caption class="visually-hidden">{t('Parts of it')}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{t('Part')}</th>
          <th scope="col">{t('Tokens')}</th>
          <th scope="col">{t('Cost')}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ label, hint, spending }) => (
          <tr key={label}>
            <th scope="row" title={hint ?? label}>
              <div class="line">{label}</div>
              {hint !== undefined && <span class="visually-hidden">{` (${hint})`}</span>}
            </th>
            <td>
              <Tokens count={totalTokens(spending.counts)} />
            </td>
            <td>
              <Cost cost={spending.cost} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function partsOf({ models, subagents, shared, clientTally }: SessionUsage, t: Translate): readonly Part[] {
  const parts: Part[] = [];
  if (models.length > 1) {
    for (const spending of models) parts.push({ label: modelName(spending.model, t), spending });
  }
  if (subagents.messages > 0) {
    parts.push({
      label: t('Subagents'),
      hint: t('What the agents used that the session started. It is in the figures above.'),
      spending: subagents,
    });
  }
  if (shared.messages > 0) {
    parts.push({
      label: t('In other sessions, too'),
      hint: t('Forks and branches copy messages. All sessions together count these once, and not here.'),
      spending: shared,
    });
  }
  if (clientTally !== null) {
    parts.push({
      label: t('Claude Code’s own tally'),
      hint: clientTally.isPartlyUnknown
        ? t('What Claude Code noted in the transcript. It knew no price for some of it.')
        : t('What Claude Code noted in the transcript, to compare.'),
      spending: { counts: clientTally.counts, cost: { usd: clientTally.usd, unpricedTokens: 0 } },
    });
  }
  return parts;
}
