// A button that shows only an icon; its label is for screen readers and the tooltip.
import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon';

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  icon: IconName;
  label: string;
  filled?: boolean;
}

export function IconButton({ icon, label, filled = false, ...rest }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} {...rest}>
      <Icon name={icon} filled={filled} />
    </button>
  );
}
