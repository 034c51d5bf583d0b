import { expect, it } from 'vitest'
import { accountEvents } from '#services/trading/stream/account.ts'
import { users } from './user-read-model.ts'
import { accountFieldNames, accountFields, accountForms } from './account-fields.ts'

it.each(accountFieldNames)('%s is recorded by events that the read model folds', (name) => {
  for (const event of accountFields[name].events) {
    expect(Object.keys(accountEvents)).toContain(event)
    expect(users.eventTypes).toContain(event)
  }
})

it('lets administrators set every field in exactly one form', () => {
  expect(Object.values(accountForms).flat().toSorted()).toEqual(accountFieldNames.toSorted())
})
