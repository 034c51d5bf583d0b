import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { programmeId } from '#services/framework/ids.ts'
import { INSTALLATION_ID, installationStreams } from '#services/framework/streams/installation.ts'
import { presets } from '../presets.ts'
import { programmeStreams, publishPreset } from '../programme.ts'
import { hashedTerms } from './terms-hash.ts'

/**
 * Publishes the presets in a portal that is not founded yet, each once: several processes that start together, and a
 * start after a crash, find the work done.
 *
 * @param start Identifies this start.
 */
export async function publishPresets(repositories: Repositories, start: string): Promise<void> {
  if ((await repositories.of(installationStreams).load(INSTALLATION_ID)).state.founded) return
  const repository = repositories.of(programmeStreams)
  const publish = ({ id, terms }: (typeof presets)[number]) =>
    repository.decide(programmeId.parse(id), systemContext('start', start), (programme) =>
      publishPreset(programme, hashedTerms(terms)),
    )
  await Promise.all(presets.map(publish))
}
