import type { JSX } from 'preact';
import type { TokensSession } from '../../../shared/api/tokens';
import { totalTokens } from '../../../shared/totalTokens';
import type { SessionUsage } from '../../../shared/usage';
import { Cost } from '../figures/Cost';
import { Tokens } from '../figures/Tokens';
import { useApp } from '../tokensApp';
import { ContextMeter } from './ContextMeter';
import { KindList } from './KindList';
import { SessionFacts } from './SessionFacts';

/** The session that the person has before them. */
export function SessionSection(): JSX.Element {
  const { snapshot, t } = useApp();
  const { session } = snapshot.value;
  return (
    <section class="section" aria-labelledby="session-title">
      <h2 id="session-title">{t('This session')}</h2>
      {session === null ? (
        <p class="quiet">{t('Open a conversation, or select a session, to see what it used.')}</p>
      ) : (
        <>
          <p class="session-name" title={session.title}>
            {session.live !== null && <span class="live-dot" role="img" aria-label={t('running')} />}
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
      <dl class="totals">
        <div>
          <dt>{t('Cost')}</dt>
          <dd>
            <Cost cost={total.cost} />
          </dd>
        </div>
        <div>
          <dt>{t('Tokens')}</dt>
          <dd>
            <Tokens count={totalTokens(total.counts)} />
          </dd>
        </div>
        <div>
          <dt>{t('Messages')}</dt>
          <dd>
            <Tokens count={total.messages} />
          </dd>
        </div>
      </dl>
      {context !== null && <ContextMeter context={context} />}
      <SessionFacts usage={usage} />
      <KindList counts={total.counts} />
    </>
  );
}
