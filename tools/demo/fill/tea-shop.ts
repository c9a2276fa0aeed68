/** What a tea shop sells, and who buys there. */

/** The price in rupees, tax included. */
export type Tea = {
  readonly sku: string;
  readonly title: string;
  readonly price: number;
  readonly weight: number;
};

export const brand = {
  name: 'Nilgiri Tea House',
  colour: '#0f6b4f',
  supportEmail: 'help@nilgiri.example',
  supportPhone: '+91 80 4000 1234',
} as const;

export const teas: readonly Tea[] = [
  tea('DAR-FF-100', 'Darjeeling, first flush, 100 g', 449, 10),
  tea('DAR-SF-100', 'Darjeeling, second flush, 100 g', 389, 8),
  tea('NIL-WF-100', 'Nilgiri winter frost, 100 g', 529, 6),
  tea('NIL-BOP-250', 'Nilgiri broken orange pekoe, 250 g', 299, 12),
  tea('ASM-TG-250', 'Assam, tippy golden, 250 g', 429, 10),
  tea('ASM-CTC-500', 'Assam CTC for chai, 500 g', 259, 14),
  tea('MAS-200', 'Masala chai, 200 g', 249, 14),
  tea('GIN-150', 'Ginger and lemongrass, 150 g', 199, 9),
  tea('TUL-20', 'Tulsi green, 20 bags', 149, 10),
  tea('KAN-50', 'Kangra white, 50 g', 899, 3),
  tea('OOL-50', 'Sikkim oolong, 50 g', 749, 4),
  tea('SAM-6', 'Tasting box, six gardens', 1_249, 5),
  tea('BOWL-1', 'Stoneware tea bowl', 420, 4),
  tea('POT-600', 'Cast-iron teapot, 600 ml', 2_890, 2),
  tea('POT-SET', 'Porcelain tea set for four', 5_450, 1),
  tea('GIFT-L', 'Festival hamper, large', 3_650, 2),
];

/** Orders of offices and hotels: a hamper for everyone. */
export const wholesale: Tea = tea('GIFT-M', 'Festival hamper, medium', 1_950, 1);

function tea(sku: string, title: string, price: number, weight: number): Tea {
  return { sku, title, price, weight };
}

export type Consumer = {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly countryCode: string;
  readonly mobile: string;
  readonly city: string;
  readonly street: string;
  readonly pincode: string;
  readonly currency: 'INR' | 'USD' | 'EUR';
};

const homes = [
  ['Bengaluru', '12 MG Road', '560001'],
  ['Mumbai', '4 Carter Road, Bandra West', '400050'],
  ['New Delhi', '27 Khan Market', '110003'],
  ['Chennai', '9 Cathedral Road', '600086'],
  ['Kolkata', '61 Park Street', '700016'],
  ['Pune', '18 North Main Road, Koregaon Park', '411001'],
  ['Hyderabad', '5 Road No. 12, Banjara Hills', '500034'],
  ['Kochi', '33 Princess Street', '682001'],
  ['Ahmedabad', '7 CG Road', '380009'],
  ['Jaipur', '2 MI Road', '302001'],
] as const;

const indians = [
  'Asha Menon',
  'Ravi Iyer',
  'Priya Nair',
  'Arjun Rao',
  'Meera Krishnan',
  'Sanjay Gupta',
  'Kavita Desai',
  'Vikram Singh',
  'Ananya Ghosh',
  'Rohan Mehta',
  'Deepa Pillai',
  'Imran Khan',
  'Lakshmi Subramanian',
  'Nikhil Joshi',
  'Farah Sheikh',
  'Gaurav Malhotra',
  'Ishita Banerjee',
  'Joseph Mathew',
  'Karthik Reddy',
  'Leela Fernandes',
  'Manoj Kulkarni',
  'Neha Chopra',
  'Om Prakash',
  'Pooja Bhatt',
  'Rahul Verma',
  'Sunita Yadav',
  'Tara Sen',
  'Uday Shetty',
  'Varun Kapoor',
  'Zoya Ahmed',
  'Harpreet Kaur',
  'Devika Thomas',
];

const others: readonly Consumer[] = [
  abroad('Emily Carter', 'USD', '1', '4155550132', ['San Francisco', '88 Green Street', '94111']),
  abroad('Daniel Brooks', 'USD', '1', '2125550178', ['New York', '410 Mercer Street', '10003']),
  abroad('Claire Dubois', 'EUR', '33', '639981234', ['Lyon', '14 rue Mercière', '69002']),
  abroad('Jonas Weber', 'EUR', '49', '15123456789', ['Hamburg', 'Lange Reihe 42', '20099']),
];

export const consumers: readonly Consumer[] = [
  ...indians.map((name, index) => atHome(name, index)),
  ...others,
];

function atHome(name: string, index: number): Consumer {
  const [city, street, pincode] = homes[index % homes.length] ?? homes[0];
  const mobile = String(9_880_010_000 + index * 137);
  return { ...named(name), countryCode: '91', mobile, city, street, pincode, currency: 'INR' };
}

function abroad(
  name: string,
  currency: Consumer['currency'],
  countryCode: string,
  mobile: string,
  [city, street, pincode]: readonly [string, string, string],
): Consumer {
  return { ...named(name), countryCode, mobile, city, street, pincode, currency };
}

function named(name: string): Pick<Consumer, 'firstName' | 'lastName' | 'email'> {
  const [firstName = '', lastName = ''] = name.split(' ');
  const email = `${firstName}.${lastName}@mail.example`.toLowerCase();
  return { firstName, lastName, email };
}
