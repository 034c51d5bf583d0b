import type { EventDescriptions } from '#services/framework/event-description.ts'
import type { InstallationEvent } from './installation.ts'

export const installationDescriptions = {
  InstallationFounded: { title: 'Portal set up', category: 'installation' },
  MailBegan: { title: 'Mail started', category: 'installation' },
  RetryRequested: { title: 'Retry requested', category: 'installation' },
  MasterKeyRotated: { title: 'Master key rotated', category: 'installation' },
} as const satisfies EventDescriptions<InstallationEvent>
