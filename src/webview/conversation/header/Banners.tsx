import type { ComponentChildren, JSX } from 'preact';
import { WRONG_LEAF } from '../../../protocol/repair';
import type { IconName } from '../../ui/Icon';
import { Icon } from '../../ui/Icon';
import { useApp } from '../conversationApp';
import { offerTexts } from '../repair/offerTexts';
import { RepairDone, RepairOffer } from '../repair/RepairViews';

/** Messages that must be seen before anything is read. */
export function Banners(): JSX.Element {
  const { store, repair, usage, act, t } = useApp();
  const { count, problem } = store.head.value;
  const failure = store.failure.value;
  const stopped = store.stopped.value;
  const view = store.view.value;
  return (
    <div class="banners">
      {stopped !== null && (
        <Banner kind="error" icon="error" button={t('Try again')} onPress={() => void store.tryAgain()}>
          {stopped}
        </Banner>
      )}
      {problem !== null && stopped === null && (
        <Banner kind="error" icon="error">
          {count > 0 ? `${problem} ${t('What was already read is still shown.')}` : problem}
        </Banner>
      )}
      {failure !== null && stopped === null && (
        <Banner
          kind="error"
          icon="error"
          button={t('Try again')}
          onPress={() => {
            store.retry();
          }}
        >
          {t('Part of the conversation could not be read: {0}', failure)}
        </Banner>
      )}
      {store.undone.value !== null && (
        <Banner
          kind="info"
          icon="warning"
          button={t('Dismiss')}
          onPress={() => {
            store.undone.value = null;
          }}
        >
          {t('That could not be done: {0}', store.undone.value)}
        </Banner>
      )}
      {store.isReplaced.value && problem === null && (
        <Banner
          kind="warning"
          icon="warning"
          button={t('Dismiss')}
          onPress={() => {
            store.isReplaced.value = false;
          }}
        >
          {t('The transcript was cut or replaced while it was open. This is what it holds now.')}
        </Banner>
      )}
      {usage.findings.value.map(({ offer, severity, code }) => {
        if (offer === undefined || (offer.kind === 'choose-branch' && repair.scope.value === WRONG_LEAF)) return null;
        const { icon, about, button } = offerTexts(offer, t);
        const isUrgent = severity !== 'info';
        return (
          <Banner
            key={code}
            kind={isUrgent ? 'warning' : 'info'}
            icon={isUrgent ? 'warning' : icon}
            button={button}
            onPress={() => {
              act({ kind: 'takeOffer', offer: offer.kind });
            }}
          >
            {about}
          </Banner>
        );
      })}
      {repair.isOfferedAbove.value && (
        <section class="banner is-info repair-banner" aria-label={t('Repair')}>
          <Icon name="wrench" />
          <div class="banner-text">
            <RepairOffer />
          </div>
          <button
            type="button"
            class="text-button"
            onClick={() => {
              repair.dismiss();
            }}
          >
            {t('Dismiss')}
          </button>
        </section>
      )}
      {repair.seam.value?.lines.length === 0 && (
        <section class="banner is-info repair-banner" aria-label={t('Repair')}>
          <RepairDone hasButtons={true} />
        </section>
      )}
      {view.kind === 'branch' && (
        <Banner
          kind="info"
          icon="branch"
          button={t('Back to the current thread')}
          onPress={() => void store.switchView({ kind: 'chain' })}
        >
          {t('This is another branch. Claude does not continue from it.')}{' '}
          <button
            type="button"
            class="text-button"
            onClick={() => {
              act({ kind: 'fork', line: view.leafLine });
            }}
          >
            {t('Continue this branch')}
          </button>
        </Banner>
      )}
    </div>
  );
}

interface BannerProps {
  readonly kind: 'error' | 'warning' | 'info';
  readonly icon: IconName;
  readonly button?: string;
  readonly onPress?: () => void;
  readonly children: ComponentChildren;
}

function Banner({ kind, icon, button, onPress, children }: BannerProps): JSX.Element {
  return (
    <div class={`banner is-${kind}`} role={kind === 'info' ? 'status' : 'alert'}>
      <Icon name={icon} />
      <span class="banner-text">{children}</span>
      {button !== undefined && (
        <button type="button" class="text-button" onClick={onPress}>
          {button}
        </button>
      )}
    </div>
  );
}
