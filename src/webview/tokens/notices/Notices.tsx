import type { JSX } from 'preact';
import type { IconName } from '../../ui/Icon';
import { Icon } from '../../ui/Icon';
import { useApp } from '../tokensApp';

/** What keeps the figures from being right, before the figures. */
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
