import type { JSX } from 'preact';
import { totalTokens } from '../../../shared/totalTokens';
import type { SessionUsage, Spending } from '../../../shared/usage';
import type { Translate } from '../../ui/createTranslate';
import { Cost } from '../figures/Cost';
import { Tokens } from '../figures/Tokens';
import { modelName } from '../figures/modelName';
import { useApp } from '../tokensApp';

interface Part {
  readonly label: string;
  readonly hint?: string;
  readonly spending: Pick<Spending, 'counts' | 'cost'>;
}

/** What a session’s tokens are made of, and what they are compared with; each only where there is something to say. */
export function SessionParts({ usage }: { usage: SessionUsage }): JSX.Element | null {
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
              <span class="name">{label}</span>
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
