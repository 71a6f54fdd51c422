import type { JSX } from 'preact';
import type { SessionUsage } from '../../../shared/usage';
import { Cost } from '../figures/Cost';
import { modelName } from '../figures/modelName';
import { useApp } from '../tokensApp';

/** What a person wants to know of a session before the details. */
export function SessionFacts({ usage }: { usage: SessionUsage }): JSX.Element {
  const { t } = useApp();
  const { resumeCost, models } = usage;
  const [model, ...others] = models;
  const hint = t('What the next request costs when nothing of the context is in the cache any more. An estimate.');
  return (
    <dl class="facts">
      {resumeCost !== null && (
        <div class="fact">
          <dt title={hint}>
            {t('Resuming now, about')}
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
          <dd class="name">{modelName(model.model, t)}</dd>
        </div>
      )}
    </dl>
  );
}
