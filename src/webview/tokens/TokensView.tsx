import type { JSX } from 'preact';
import type { CostFigure } from '../../protocol/usage';
import { SessionSection } from './SessionSection';
import { Cost, describeSpending } from './figures';
import { CountingProgress, isWithoutSessions, LiveText, NoSessions, Notices } from './notices';
import { useApp } from './tokensApp';

/** The side view: what today cost, and the session that the person is viewing. */
export function TokensView(): JSX.Element {
  const { snapshot, figures, t } = useApp();
  const { overview } = snapshot.value;
  return (
    <main class="view">
      <h1 class="visually-hidden">{t('Tokens')}</h1>
      <Notices />
      {isWithoutSessions(snapshot.value) ? (
        <NoSessions />
      ) : (
        <>
          <TodayLine />
          <SessionSection />
        </>
      )}
      <LiveText
        about={t('Today')}
        said={() => (overview === null ? '' : `${t('Today')}: ${describeSpending(overview.today, figures, t)}`)}
      />
    </main>
  );
}

/** There is no room for the mark of tokens without a price; the page says how many there are. */
function withoutMark({ usd, unpricedTokens }: CostFigure): CostFigure {
  return { usd, unpricedTokens: usd === null ? unpricedTokens : 0 };
}

/** What today cost in all sessions, and the way to the rest; first, so that it is seen however small the view is. */
function TodayLine(): JSX.Element {
  const { snapshot, t, act } = useApp();
  const { overview } = snapshot.value;
  const hint = t('The cost of all sessions today. List prices of the API; plans are billed otherwise.');
  return (
    <>
      <div class="today">
        <span title={hint}>
          {t('Today')}
          <span class="visually-hidden">{` (${hint})`}</span>
        </span>
        <span class="today-cost">{overview === null ? '…' : <Cost cost={withoutMark(overview.today.cost)} />}</span>
        <button
          type="button"
          class="link"
          onClick={() => {
            act('openPage');
          }}
        >
          {t('All Sessions…')}
        </button>
      </div>
      {overview !== null && <CountingProgress files={overview.files} />}
    </>
  );
}
