import type { JSX } from 'preact';
import type { IconName } from './Icon';
import { Icon } from './Icon';

export interface IconButtonProps {
  readonly icon: IconName;
  /** What screen readers and the tooltip say. */
  readonly label: string;
  readonly onPress: () => void;
  /** For a button that stays down. */
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
}

export function IconButton({ icon, label, onPress, isPressed, isDisabled }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={label}
      aria-pressed={isPressed}
      disabled={isDisabled ?? false}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
