import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/_trader/settings')({
  staticData: { title: 'Settings' },
  component: lazyPage(() => import('@/features/menu/settings-page.tsx'), 'SettingsPage'),
})
