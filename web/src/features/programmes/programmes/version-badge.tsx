import type { VersionState } from '#services/programmes/programmes/programme-api.ts'
import { Badge } from '@/ui/badge.tsx'

const looks = {
  draft: { tone: 'waiting', label: 'Draft' },
  published: { tone: 'good', label: 'Published' },
  retired: { tone: undefined, label: 'Retired' },
} as const

/** The state of a version. */
export function VersionBadge({ state }: { readonly state: VersionState }) {
  const { tone, label } = looks[state]
  return <Badge {...(tone && { tone })}>{label}</Badge>
}
