import type { JSX } from 'preact';
import { isNearlyFull, totalTokens } from '../../../protocol/usage';
import { useApp } from '../conversationApp';

/** How full Claude's context is. */
export function ContextGauge(): JSX.Element | null {
  const { usage, figures, t } = useApp();
  const context = usage.usage.value?.context;
  if (typeof context?.window !== 'number' || context.window <= 0) return null;
  const { tokens, window } = context;
  const share = Math.min(1, tokens / window);
  const isFull = isNearlyFull(context);
  const text = t('Context: {0} of {1} tokens', figures.exact(tokens), figures.exact(window));
  const title = isFull ? `${text}. ${t('Nearly full: Claude Code compacts the conversation soon.')}` : text;
  return (
    <span class="fact" title={title}>
      <span
        class={isFull ? 'gauge is-nearly-full' : 'gauge'}
        role="meter"
        aria-label={t('Context')}
        aria-valuemin={0}
        aria-valuemax={window}
        aria-valuenow={Math.min(tokens, window)}
        aria-valuetext={title}
      >
        <span class="gauge-filled" style={{ width: `${share * 100}%` }} />
      </span>
      {t('{0} of context', figures.percent(share))}
    </span>
  );
}

/** What the session cost so far, at list prices. */
export function CostFact(): JSX.Element | null {
  const { usage, figures, t } = useApp();
  if (usage.usage.value === null) return null;
  const { total } = usage.usage.value;
  const { usd, unpricedTokens } = total.cost;
  if (usd === null || total.messages === 0) return null;
  const lines = [t('{0} tokens at list prices', figures.exact(totalTokens(total.counts)))];
  if (unpricedTokens > 0)
    lines.push(t('{0} tokens have no price, and are not in the cost.', figures.exact(unpricedTokens)));
  return (
    <span class="fact" title={lines.join('\n')}>
      {unpricedTokens > 0 ? t('more than {0}', figures.usd(usd)) : figures.usd(usd)}
    </span>
  );
}

/** What resuming the session means, so that it is seen before it is resumed. A client that runs the session is not resumed. */
export function ResumeFact(): JSX.Element | null {
  const { store, usage } = useApp();
  const preflight = usage.preflight.value;
  if (preflight === null || store.head.value.isLive) return null;
  const { request, why, rearms } = preflight;
  return (
    <>
      <span class="fact" title={why}>
        {request}
      </span>
      {rearms !== null && <span class="fact">{rearms}</span>}
    </>
  );
}

/** The same in lines, for the button that resumes; null if it is not shown. */
export function useResumeNote(): string | null {
  const { store, usage, t } = useApp();
  const preflight = usage.preflight.value;
  if (preflight === null || store.head.value.isLive) return null;
  const { request, why, rearms } = preflight;
  const isRefused = usage.findings.value.some((finding) => finding.isRefused === true);
  const refused = isRefused ? t('Claude’s API refuses every prompt in this session.') : null;
  return [refused, request, why, rearms].filter((line) => line !== null && line !== '').join('\n');
}
