import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TokensSnapshot } from '../../protocol/channels/tokensView';
import type { UsageOverview } from '../../protocol/usage';
import { Icon, type IconName } from '../ui/Icon';
import { isCounting } from './figures';
import { useApp } from './tokensApp';

/** What both pages show in place of figures or before them. */

/** Whether there is nothing to show figures of. The list can name a session before it is counted, and one that cannot be read. */
export function isWithoutSessions({ overview, session, hasSessions }: TokensSnapshot): boolean {
  return overview?.files.total === 0 && !isCounting(overview.files) && session === null && !hasSessions;
}

export function NoSessions(): JSX.Element {
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

/** The number of counted transcripts, while some are not counted yet. */
export function CountingProgress({ files }: { files: UsageOverview['files'] }): JSX.Element | null {
  const { figures, t } = useApp();
  if (files.waiting === 0) return null;
  const done = files.total - files.waiting;
  const text = t('{0} of {1} transcripts counted', figures.exact(done), figures.exact(files.total));
  return (
    <div class="counting">
      <progress aria-label={t('Counting transcripts')} max={files.total} value={done} />
      <span class="quiet">{text}</span>
    </div>
  );
}

/**
 * Says what the page shows, to screen readers. The end of counting is announced, and what the page shows when `about` changes;
 * other changes are not, because the figures of a running session change all the time.
 */
export function LiveText({ said, about }: { said: () => string; about: string }): JSX.Element {
  const { snapshot, t } = useApp();
  const { overview } = snapshot.value;
  const state = overview === null ? 'unknown' : isCounting(overview.files) ? 'counting' : 'counted';
  const text =
    state === 'unknown' ? t('Counting…') : state === 'counting' ? t('Transcripts are still being counted.') : said();
  const announced = useRef({ about, state, text });
  const last = announced.current;
  if (last.about !== about || last.state !== state) announced.current = { about, state, text };
  return (
    <div
      class="visually-hidden"
      role="status"
      aria-live={announced.current.text === text ? 'polite' : 'off'}
      data-live-text
    >
      {text}
    </div>
  );
}

/** Reasons why the figures may be wrong, shown before the figures. */
export function Notices(): JSX.Element {
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
