import type { EventDescriptions } from '#services/modules/event-description.ts'
import type { InstallationEvent } from './installation.ts'

export const installationDescriptions = {
  InstallationFounded: { title: 'Portal set up', category: 'installation', refreshes: {} },
  MailBegan: { title: 'Mail started', category: 'installation', refreshes: {} },
  RetryRequested: { title: 'Retry requested', category: 'installation', refreshes: {} },
  MasterKeyRotated: { title: 'Master key rotated', category: 'installation', refreshes: {} },
} as const satisfies EventDescriptions<InstallationEvent>
