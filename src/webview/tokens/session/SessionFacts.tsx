import type { ComponentChildren, JSX } from 'preact';
import { totalTokens } from '../../../shared/totalTokens';
import type { SessionUsage, Spending } from '../../../shared/usage';
import { Cost } from '../figures/Cost';
import { Tokens } from '../figures/Tokens';
import { hasNoPrice } from '../figures/hasNoPrice';
import { useApp } from '../tokensApp';

/** What else is known of a session’s tokens; each only where there is something to say. */
export function SessionFacts({ usage }: { usage: SessionUsage }): JSX.Element {
  const { t } = useApp();
  const { subagents, shared, resumeCost, clientTally, models } = usage;
  const [model, ...otherModels] = models;
  return (
    <dl class="facts">
      {resumeCost !== null && (
        <Fact
          label={t('Resuming now, about')}
          hint={t('What the next request costs when nothing of the context is in the cache any more. An estimate.')}
        >
          <Cost cost={resumeCost} />
        </Fact>
      )}
      {subagents.messages > 0 && (
        <Fact label={t('Of it, subagents')} hint={t('What the agents used that the session started.')}>
          <Both spending={subagents} />
        </Fact>
      )}
      {shared.messages > 0 && (
        <Fact
          label={t('Of it, in other sessions, too')}
          hint={t('Forks and branches copy messages. These are counted once, in the session that had them first.')}
        >
          <Both spending={shared} />
        </Fact>
      )}
      {clientTally !== null && (
        <Fact
          label={t('Claude Code’s own tally')}
          hint={
            clientTally.isPartlyUnknown
              ? t('What Claude Code noted in the transcript. It knew no price for some of it.')
              : t('What Claude Code noted in the transcript, to compare.')
          }
        >
          <Both
            spending={{
              counts: clientTally.counts,
              cost: { usd: clientTally.usd, unpricedTokens: 0 },
            }}
          />
        </Fact>
      )}
      {otherModels.length > 0
        ? models.map((each) => (
            <Fact key={each.model} label={each.model ?? t('no model named')}>
              <Both spending={each} />
            </Fact>
          ))
        : model !== undefined && <Fact label={t('Model')}>{model.model ?? t('no model named')}</Fact>}
    </dl>
  );
}

function Both({ spending: { counts, cost } }: { spending: Pick<Spending, 'counts' | 'cost'> }): JSX.Element {
  return (
    <>
      <span class={hasNoPrice(cost) ? '' : 'fact-part'}>
        <Tokens count={totalTokens(counts)} />
      </span>
      <span class="fact-part">
        <Cost cost={cost} />
      </span>
    </>
  );
}

function Fact({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="fact">
      <dt title={hint}>
        {label}
        {hint !== undefined && <span class="visually-hidden">{` (${hint})`}</span>}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
