import type { FindingOffer } from '../../../protocol/repair';
import type { IconName } from '../../ui/Icon';
import type { Translate } from '../../ui/texts';

/** How the page says what a finding offers: above the conversation, and in the list of findings. */
export interface OfferTexts {
  readonly icon: IconName;
  /** What it is about, in one or two sentences. */
  readonly about: string;
  readonly button: string;
}

export function offerTexts(offer: FindingOffer, t: Translate): OfferTexts {
  switch (offer.kind) {
    case 'choose-branch':
      return {
        icon: 'branch',
        about: t('Claude resumes an older branch, and does not remember the newest messages.'),
        button: t('Choose how to go on…'),
      };
    case 'fork-newest':
      return {
        icon: 'fork',
        about: t(
          'Claude Code does not resume this conversation: it finds a message of a subagent where it would continue.',
        ),
        button: t('Fork at the newest messages'),
      };
    case 'open-original':
      return {
        icon: 'open',
        about: t('This session was to continue another one, and nothing was written.'),
        button: t('Open the original'),
      };
    case 'fork-branch':
      return {
        icon: 'fork',
        about: t('Two clients wrote into this session. Claude remembers only what the last one wrote.'),
        button: offer.lines.length === 1 ? t('Fork the other conversation') : t('Fork another conversation…'),
      };
  }
}
