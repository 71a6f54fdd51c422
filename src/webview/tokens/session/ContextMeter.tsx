import type { JSX } from 'preact';
import type { ContextSize } from '../../../shared/usage';
import { Tokens } from '../figures/Tokens';
import { useApp } from '../tokensApp';

/** From this share of the window on, the client is about to compact the conversation. */
const NEARLY_FULL = 0.8;

/** How much of what the model takes the conversation fills. */
export function ContextMeter({ context }: { context: ContextSize }): JSX.Element {
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
  const isNearlyFull = share >= NEARLY_FULL;
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
          <rect class={isNearlyFull ? 'meter-full' : 'series-0'} width={`${Math.min(1, share) * 100}%`} height="100%" />
        </svg>
      </div>
      {isNearlyFull && <p class="quiet">{t('Nearly full: Claude Code compacts the conversation soon.')}</p>}
    </div>
  );
}
