import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Icon, type IconName } from '../ui/Icon';
import { OverviewSection } from './OverviewSection';
import { SessionSection } from './SessionSection';
import { describeSpending, isCounting } from './figures';
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

/** Announces the result of a change of the range, and the end of counting. Other changes of figures are not announced. */
function LiveText(): JSX.Element {
  const { snapshot, navigation, figures, t } = useApp();
  const { overview } = snapshot.value;
  const { range } = navigation.value;
  const state = overview === null ? 'unknown' : isCounting(overview.files) ? 'counting' : 'counted';
  const text = useMemo(() => {
    if (state === 'unknown') return t('Counting…');
    if (state === 'counting') return t('Transcripts are still being counted.');
    const selected = overview?.ranges.find((each) => each.range === range);
    return selected === undefined ? '' : describeSpending(selected.total, figures, t);
  }, [range, state]);
  return (
    <div class="visually-hidden" role="status" data-live-text>
      {text}
    </div>
  );
}

/** Reasons why the figures may be wrong, shown before the figures. */
function Notices(): JSX.Element {
  const { snapshot, failure, t, act } = useApp();
  const { problem, priceProblem, overview } = snapshot.value;
  const uncounted = overview?.problem ?? null;
  return (
    <>
      {problem !== null && (
        <Notice
          kind="error"
          text={problem}
          button={t('Try again')}
          onPress={() => {
            act('tryAgain');
          }}
        />
      )}
      {uncounted !== null && <Notice kind="warning" text={uncounted} />}
      {priceProblem !== null && (
        <Notice
          kind="warning"
          text={priceProblem}
          button={t('Open settings')}
          onPress={() => {
            act('openPrices');
          }}
        />
      )}
      {failure.value !== null && <Notice kind="error" text={failure.value} />}
    </>
  );
}

interface NoticeProps {
  readonly kind: IconName & ('error' | 'warning');
  readonly text: string;
  readonly button?: string;
  readonly onPress?: () => void;
}

function Notice({ kind, text, button, onPress }: NoticeProps): JSX.Element {
  return (
    <div class={`notice is-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon name={kind} />
      <div class="notice-text">
        <p>{text}</p>
        {button !== undefined && (
          <button type="button" class="link" onClick={onPress}>
            {button}
          </button>
        )}
      </div>
    </div>
  );
}
