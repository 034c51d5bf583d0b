/** Made-up people: the same for the same number. Surnames are as unevenly spread as real ones. */

const first = [
  'Ada',
  'Amir',
  'Ana',
  'Anders',
  'Anna',
  'Antonio',
  'Bela',
  'Carla',
  'Chen',
  'Clara',
  'Daniel',
  'David',
  'Elena',
  'Emma',
  'Fatima',
  'Felix',
  'Grace',
  'Hannah',
  'Hiroshi',
  'Ines',
  'Ivan',
  'Jan',
  'Jana',
  'Joao',
  'John',
  'Jonas',
  'Julia',
  'Karim',
  'Lars',
  'Laura',
  'Leila',
  'Lena',
  'Liam',
  'Lucia',
  'Magnus',
  'Maria',
  'Marta',
  'Mehmet',
  'Mia',
  'Nadia',
  'Nina',
  'Noah',
  'Olga',
  'Omar',
  'Paula',
  'Pedro',
  'Priya',
  'Rosa',
  'Samuel',
  'Sara',
  'Sofia',
  'Stefan',
  'Tariq',
  'Tomas',
  'Vera',
  'Viktor',
  'Wei',
  'Yuki',
  'Zara',
  'Zoe',
]
const beginnings = [
  'Al',
  'Ander',
  'Bar',
  'Berg',
  'Brad',
  'Car',
  'Dal',
  'Eck',
  'Fair',
  'Gold',
  'Green',
  'Hall',
  'Holm',
  'John',
  'Kel',
  'Lind',
  'Mac',
  'Mar',
  'Nord',
  'Ost',
  'Peter',
  'Ro',
  'San',
  'Stein',
  'Thor',
  'Wal',
  'West',
  'Win',
]
const endings = [
  'berg',
  'by',
  'den',
  'er',
  'feld',
  'ford',
  'gren',
  'hart',
  'ing',
  'kov',
  'ley',
  'man',
  'mann',
  'nen',
  'quist',
  'ri',
  'sen',
  'ski',
  'son',
  'stad',
  'ton',
  'wald',
  'well',
  'wood',
]

export interface Name {
  readonly fullName: string
  readonly email: string
}

/** Names the person with this number. */
export function nameOf(number: number): Name {
  const chance = hashed(number)
  const given = first[chance % first.length] ?? ''
  // The square makes the first of them common and the last rare.
  const spread = (hashed(number + 0x9e37) / 2 ** 32) ** 2
  const which = Math.floor(spread * beginnings.length * endings.length)
  const surname = `${beginnings[which % beginnings.length]}${endings[Math.floor(which / beginnings.length)]}`
  return { fullName: `${given} ${surname}`, email: `${given}.${surname}${number}@example.com`.toLowerCase() }
}

/** A number of 32 bits that looks like chance. */
export function hashed(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
