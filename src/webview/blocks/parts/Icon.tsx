import type { JSX } from 'preact';
import { Icon as Drawing, type IconName } from '../../ui/Icon';

export type { IconName };

/** Decoration alone: what it says is said in words beside it. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }): JSX.Element {
  return <Drawing name={name} className={`block-icon ${className}`} />;
}
