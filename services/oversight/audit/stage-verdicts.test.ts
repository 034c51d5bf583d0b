import { expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { decodeEvent, isRegistered } from '#services/event-sourcing/codec/event-codec.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { sampleData, sampleKey, sampleMetadata, storedSample } from '#test-support/sample-events.ts'
import { stageVerdicts } from './stage-verdicts.ts'

/** What the streams of a user and of the accounts say together, where the firm records it with all its keys. */

const PERSON = 'ada00000000'
const [user, account, next] = [`user-${PERSON}`, `account-${PERSON}-a1`, `account-${PERSON}-a2`]

let position = 0
function recorded(stream: string, type: string, data: object = {}) {
  const stored = storedSample(type, { ...sampleData(type), ...data })
  position += 1
  const event = decodeEvent(eventRegistry, { ...stored, stream, position: toPosition(String(position)) }, sampleKey)
  if (!isRegistered(eventRegistry, event)) throw new Error(`${type} is unknown`)
  return event
}

const begun = (stream: string, stage: number) => recorded(stream, 'StageBegun', { enrolmentId: `${PERSON}-e1`, stage })
const enrolled = [recorded(user, 'TraderEnrolled'), begun(account, 0)]
const passed = recorded(account, 'StagePassed')
const assigned = recorded(user, 'NextStageAssigned')

it.each([
  [
    'the first stage again after it was passed',
    [...enrolled, passed, assigned, begun(next, 0)],
    'Its enrolment assigned another stage to this account.',
  ],
  [
    'the first stage assigned again',
    [...enrolled, passed, recorded(user, 'NextStageAssigned', { stage: 0 })],
    'It does not come after the stages that were assigned before it.',
  ],
  ['a pass after which nothing was assigned', [...enrolled, passed], 'No account was assigned for the next stage.'],
  ['a stage after one that was not passed', [...enrolled, assigned], 'The stage before it was not passed.'],
])('%s', (_, events, why) => {
  expect(stageVerdicts(events, sampleMetadata.at + 120_000)).toContainEqual(
    expect.objectContaining({ outcome: 'does-not-follow', why }),
  )
})

it('are none where the stages follow each other, and right after a pass', () => {
  expect(stageVerdicts([...enrolled, passed, assigned, begun(next, 1)], sampleMetadata.at + 120_000)).toEqual([])
  expect(stageVerdicts([...enrolled, passed], sampleMetadata.at + 1_000)).toEqual([])
})
