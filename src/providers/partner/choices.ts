/**
 * The banks and wallets that consumers can choose at the partner, by its own codes: retail banks in business, sorted
 * by name. It is not a filter: a code that is not listed is sent to the partner as well.
 */
import type { Choice } from '../provider.ts';

export const partnerBanks = choicesOf(`
  AIRP Airtel Payments Bank, AUBL AU Small Finance Bank, UTIB Axis Bank, BDBL Bandhan Bank,
  BARB_R Bank of Baroda, BKID Bank of India, MAHB Bank of Maharashtra,
  BACB Bassein Catholic Co-operative Bank, CNRB Canara Bank, CBIN Central Bank of India,
  CIUB City Union Bank, COSB Cosmos Co-operative Bank, CSBK CSB Bank, DBSS DBS Bank India,
  DCBL DCB Bank, DEUT Deutsche Bank, DLXB Dhanlaxmi Bank, ESFB Equitas Small Finance Bank,
  ESAF ESAF Small Finance Bank, FDRL Federal Bank, HDFC HDFC Bank, HSBC HSBC, ICIC ICICI Bank,
  IBKL IDBI Bank, IDFB IDFC FIRST Bank, IDIB Indian Bank, IOBA Indian Overseas Bank,
  INDB IndusInd Bank, JAKA Jammu & Kashmir Bank, JSFB Jana Small Finance Bank,
  JSBP Janata Sahakari Bank, KCCB Kalupur Commercial Co-operative Bank,
  KJSB Kalyan Janata Sahakari Bank, KARB Karnataka Bank, KVBL Karur Vysya Bank,
  KKBK Kotak Mahindra Bank, MSNU Mehsana Urban Co-operative Bank, NKGS NKGSB Co-operative Bank,
  NSPB NSDL Payments Bank, PSIB Punjab & Sind Bank, PUNB_R Punjab National Bank, RATN RBL Bank,
  SRCB Saraswat Co-operative Bank, SIBL South Indian Bank, SCBL Standard Chartered Bank,
  SBIN State Bank of India, SURY Suryoday Small Finance Bank, SVCB SVC Co-operative Bank,
  TNSC Tamil Nadu State Apex Co-operative Bank, TMBL Tamilnad Mercantile Bank,
  TBSB Thane Bharat Sahakari Bank, TJSB TJSB Sahakari Bank, UCBA UCO Bank, UBIN Union Bank of India,
  VARA Varachha Co-operative Bank, YESB Yes Bank, ZCBL Zoroastrian Co-operative Bank`);

export const partnerWallets = choicesOf(`
  airtelmoney Airtel Money, amazonpay Amazon Pay, freecharge Freecharge, jiomoney JioMoney,
  mobikwik MobiKwik, olamoney Ola Money, paypal PayPal, payzapp PayZapp, phonepe PhonePe`);

/** Each is a code and a name, separated by commas. */
function choicesOf(text: string): Choice[] {
  return text.split(',').map((choice) => {
    const [, code = '', name = ''] = /^\s*(\S+) (.+)$/.exec(choice) ?? [];
    return { code, name };
  });
}
