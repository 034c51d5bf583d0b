import { Monitor, Moon, Sun } from 'lucide-react'
import { theme, themes } from '@/theme.ts'
import { IconButton } from '@/ui/button.tsx'
import { useStore } from '@/use-store.ts'

const icons = { system: Monitor, light: Sun, dark: Moon } as const

/** Cycles through system, light and dark; the choice is stored. */
export function ThemeSwitch() {
  const chosen = useStore(theme)
  const Icon = icons[chosen]
  const next = themes[(themes.indexOf(chosen) + 1) % themes.length] ?? 'system'
  return (
    <IconButton label={`Theme: ${chosen}. Switch to ${next}`} onClick={() => theme.set(next)}>
      <Icon size={16} aria-hidden />
    </IconButton>
  )
}
