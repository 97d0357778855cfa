// Line icons, drawn as paths of one 20 × 20 grid. They are decoration: the text beside them or the label says it.

const paths = {
  transcribe:
    'M10 2.5a2.6 2.6 0 0 1 2.6 2.6v4.6a2.6 2.6 0 0 1-5.2 0V5.1A2.6 2.6 0 0 1 10 2.5zM4.8 9.5a5.2 5.2 0 0 0 10.4 0M10 14.7v2.8M7 17.5h6',
  jobs: 'M3 5h14M3 10h14M3 15h9',
  models: 'M10 2.5 17 6v8l-7 3.5L3 14V6zM3 6l7 3.5 7-3.5M10 9.5v8',
  webhooks: 'M8 6.5a3 3 0 1 1 4.2 2.7l2 4M6.3 9.4A3 3 0 1 0 8.5 14h5M12.2 14a3 3 0 1 0 2.3-2.9M10 6.5 7 12',
  usage: 'M3 17h14M5.5 17v-5M10 17V6M14.5 17V9.5',
  projects:
    'M2.5 6a1.5 1.5 0 0 1 1.5-1.5h3.5L9 6.5h7a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 14z',
  system: 'M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01',
  key: 'M7 9.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM9.5 10.5l7-7M15.8 4.2l1.7 1.7M13 7l2.2 2.2',
  docs: 'M5 3h8l3 3v11H5zM12.5 3v3.5H16M8 10.5h5M8 13.5h5',
  signOut: 'M8 3H4v14h4M12 6.5 15.5 10 12 13.5M15.5 10H8',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7 7h9v10H7zM4 13V3h9v2',
  check: 'M4 10.5 8 14.5 16 5.5',
  alert: 'M10 3 18 16.5H2zM10 8v4M10 14.3h.01',
  info: 'M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15zM10 9v5M10 6.3h.01',
  upload: 'M10 13V3.5M6 7.5l4-4 4 4M3.5 13v3.5h13V13',
  download: 'M10 3.5V13M6 9l4 4 4-4M3.5 13.5v3h13v-3',
  play: 'M6 3.5 16 10 6 16.5z',
  pause: 'M6.5 4v12M13.5 4v12',
  stop: 'M5 5h10v10H5z',
  record: 'M10 5a5 5 0 1 1 0 10 5 5 0 0 1 0-10z',
  back: 'M9 4 3.5 10 9 16M3.5 10H17',
  search: 'M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM13 13l4 4',
  up: 'M5 12.5l5-5 5 5',
  down: 'M5 7.5l5 5 5-5',
  right: 'M7.5 5l5 5-5 5',
  trash: 'M3.5 5.5h13M8 5.5V3.5h4v2M5 5.5l.8 11h8.4l.8-11M8.3 8.5v5M11.7 8.5v5',
  plus: 'M10 4v12M4 10h12',
  edit: 'M4 16l.8-3.5L13.5 4 16 6.5 7.5 15z',
  refresh: 'M16 6.5A7 7 0 1 0 17 10M16.5 3v4h-4',
  sun: 'M10 6.4a3.6 3.6 0 1 1 0 7.2 3.6 3.6 0 0 1 0-7.2zM10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4',
  moon: 'M16.6 12.2A7.2 7.2 0 0 1 7.8 3.4a7.2 7.2 0 1 0 8.8 8.8z',
  file: 'M5 3h7l3.5 3.5V17H5zM11.5 3v4h4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
  return (
    <svg class={filled ? 'icon filled' : 'icon'} viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
