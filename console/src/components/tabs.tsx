// Tabs after the pattern of WAI-ARIA: one tab stop, arrow keys move between the tabs.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { formatInteger } from '../format/numbers';

export interface Tab {
  id: string;
  label: string;
  count?: number | undefined;
}

interface TabsProps {
  label: string;
  tabs: Tab[];
  selected: string;
  onSelect: (id: string) => void;
  children: ComponentChildren;
}

export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps) {
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (list.current) centerSelected(list.current);
  }, [selected, tabs.length]);
  const move = (event: KeyboardEvent) => {
    const index = tabs.findIndex((tab) => tab.id === selected);
    const next = nextIndex(event.key, index, tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (!tab || next === null) return;
    event.preventDefault();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div class="tabs-group">
      <div class="tabs" role="tablist" aria-label={label} tabIndex={-1} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${prefix}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${prefix}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span class="count">{formatInteger(tab.count)}</span>}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${prefix}-panel`} aria-labelledby={`${prefix}-${selected}`}>
        {children}
      </div>
    </div>
  );
}

// Only the tabs scroll: `scrollIntoView` would also move the page when a result adds a tab while somebody reads.
function centerSelected(list: HTMLElement): void {
  const tab = list.querySelector('[aria-selected=true]')?.getBoundingClientRect();
  const { left, width } = list.getBoundingClientRect();
  if (tab) list.scrollLeft += tab.left + tab.width / 2 - (left + width / 2);
}

function nextIndex(key: string, index: number, count: number): number | null {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}
