import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/_trader/settings')({
  staticData: { title: 'Settings' },
  component: lazyRouteComponent(() => import('../features/session/settings-page.tsx'), 'SettingsPage'),
})
