import { expect, it } from 'vitest'
import { mappingFor } from './statement-beginning.ts'

const columnsOf = (header: string, kind: 'days' | 'trades') => mappingFor({ header }, kind, []).columns

it('maps the columns of a file that names them as fields', () => {
  expect(mappingFor({ header: 'id;openedAt;at;profit;volume' }, 'trades', [])).toMatchObject({
    delimiter: ';',
    columns: { id: 'id', openedAt: 'openedAt', at: 'at', profit: 'profit', volume: 'volume' },
  })
})

it('leaves the choice to a person where the file has other columns', () => {
  expect(columnsOf('id,openedAt,at,profit,commission,volume', 'trades')).toEqual({})
  expect(columnsOf('id,openedAt,at,profit,volume', 'days')).toEqual({})
})

it('takes the account of a row from its id, else from server and login', () => {
  expect(columnsOf('account,login,server,date', 'days')).toEqual({ account: 'account', date: 'date' })
  expect(columnsOf('login,server,date', 'days')).toEqual({ login: 'login', server: 'server', date: 'date' })
})
