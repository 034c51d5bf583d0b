import { describe, expect, it } from 'vitest'
import { userChangeOf } from './user-form.tsx'

const ada = {
  fullName: 'Ada Lovelace',
  email: 'ada@example.com',
  country: 'uk',
  city: 'London',
  street: 'Square',
  houseNumber: '12',
}

describe('what is sent of a user', () => {
  it('is name and email, and of the address only what was changed', () => {
    expect(userChangeOf({ ...ada, fullName: 'Ada Byron' }, ada)).toEqual({
      fullName: 'Ada Byron',
      email: 'ada@example.com',
    })
    expect(userChangeOf({ ...ada, city: 'Paris', street: '' }, ada)).toEqual({
      fullName: 'Ada Lovelace',
      email: 'ada@example.com',
      city: 'Paris',
      street: '',
    })
  })

  it('leaves out a name or email that was emptied', () => {
    expect(userChangeOf({ ...ada, fullName: ' ' }, ada)).toEqual({ email: 'ada@example.com' })
  })
})
