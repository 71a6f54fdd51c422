import type { JSX } from 'preact';
import { isCounting } from './figures/isCounting';
import { LiveText } from './LiveText';
import { Notices } from './notices/Notices';
import { OverviewSection } from './overview/OverviewSection';
import { SessionSection } from './session/SessionSection';
import { useApp } from './tokensApp';

export function TokensView(): JSX.Element {
  const { snapshot, t } = useApp();
  const { session, overview } = snapshot.value;
  const hasNoSessions = overview?.files.total === 0 && !isCounting(overview.files) && session === null;
  return (
    <main class="view">
      <h1 class="visually-hidden">{t('Tokens')}</h1>
      <Notices />
      {hasNoSessions ? <NoSessions /> : <SessionSection />}
      {!hasNoSessions && <OverviewSection />}
      {!hasNoSessions && (
        <p class="note">{t('Costs are list prices of the API, in US dollars. Plans are billed otherwise.')}</p>
      )}
      <LiveText />
    </main>
  );
}

function NoSessions(): JSX.Element {
  const { t, act } = useApp();
  return (
    <div class="empty">
      <p>{t('There are no Claude Code sessions yet.')}</p>
      <p>{t('Run claude in a terminal: what it uses is counted here, by day, model and project.')}</p>
      <p>
        <button
          type="button"
          class="link"
          onClick={() => {
            act('openFolderSetting');
          }}
        >
          {t('Choose another folder')}
        </button>
      </p>
    </div>
  );
}
