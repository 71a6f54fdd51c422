import type { JSX } from 'preact';
import type { TokensSession } from '../../../shared/api/tokens';
import type { SessionUsage } from '../../../shared/usage';
import { Totals } from '../figures/Totals';
import { useApp } from '../tokensApp';
import { ContextMeter } from './ContextMeter';
import { KindList } from './KindList';
import { SessionFacts } from './SessionFacts';
import { SessionParts } from './SessionParts';

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
      <Totals spending={total} />
      {context !== null && <ContextMeter context={context} />}
      <SessionFacts usage={usage} />
      <SessionParts usage={usage} />
      <KindList counts={total.counts} />
    </>
  );
}
